/* Loops that OpenACC divides between gangs (blocks), workers and vectors (threads). See ../openacc.slow.test.ts. */
#define N 2000
#define SIDE 16

float a[N], b[N], c[N];
int histogram[16], mixed[N];
double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

void loops(void) {
#pragma acc parallel loop copyin(a, b) copyout(c)
  for (int i = 0; i < N; i++) c[i] = a[i] * 2 + b[i];

  float sum = 0;
#pragma acc parallel num_gangs(1) num_workers(4) vector_length(32) copyin(a) copy(sum)
#pragma acc loop worker vector reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += a[i];

  int count = 0, most = -1, every = 1;
  unsigned bits = 0;
  long long squares = 0;
#pragma acc parallel num_gangs(4) num_workers(4) vector_length(32) copyin(a) copy(count, most, squares, bits, every)
#pragma acc loop gang worker vector reduction(+ : count, squares) reduction(max : most) reduction(^ : bits) reduction(&& : every)
  for (int i = 0; i < N; i++) {
    if (a[i] > 10) count++;
    if ((int)a[i] > most) most = (int)a[i];
    squares += (long long)i * i;
    bits ^= i * 2654435761u;
    every = every && i >= 0;
  }

#pragma acc parallel num_gangs(8) num_workers(2) vector_length(32) copyin(left, right) copyout(product)
#pragma acc loop gang
  for (int i = 0; i < SIDE; i++) {
#pragma acc loop worker
    for (int j = 0; j < SIDE; j++) {
      double dot = 0;
#pragma acc loop vector reduction(+ : dot)
      for (int k = 0; k < SIDE; k++) dot += left[i][k] * right[k][j];
      product[i][j] = dot;
    }
  }

#pragma acc parallel loop gang vector num_gangs(3) vector_length(32) copyin(b) copy(histogram)
  for (int i = 0; i < N; i++) {
#pragma acc atomic update
    histogram[(int)b[i]]++;
  }

  double total = 0;
#pragma acc parallel num_gangs(4) vector_length(64) copyin(product) copy(total)
#pragma acc loop gang vector collapse(2) reduction(+ : total)
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) total += product[i][j];

#pragma acc parallel num_gangs(1) num_workers(1) vector_length(32) copyout(mixed)
  {
    int own[8];
#pragma acc loop vector private(own)
    for (int i = 0; i < N; i++) {
      for (int k = 0; k < 8; k++) own[k] = (i >> k) ^ k;
      int sum = 0;
      for (int k = 0; k < 8; k++) sum += own[(i + k) & 7] * (k + 1);
      mixed[i] = sum;
    }
  }
}

int main(void) { loops(); }
